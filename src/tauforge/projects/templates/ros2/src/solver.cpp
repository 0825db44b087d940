// A plugin for inverse_dynamics_solver. Tauforge's tests load it by ROS's class loader; they have no ROS node to run it in.
#include <stdexcept>
#include <string>

#include <inverse_dynamics_solver/inverse_dynamics_solver.hpp>
#include <pluginlib/class_list_macros.hpp>

#include "@name@/@name@.hpp"
#include "@name@/@name@_friction.h"

namespace @name@_dynamics {

class Solver : public inverse_dynamics_solver::InverseDynamicsSolver {
public:
    void initialize(rclcpp::node_interfaces::NodeParametersInterface::ConstSharedPtr, const std::string&,
        const std::string&) override
    {
    }

    Eigen::MatrixXd getInertiaMatrix(const Eigen::VectorXd& q) const override
    {
        Eigen::MatrixXd matrix(dof, dof);
        const Eigen::VectorXd zero = Eigen::VectorXd::Zero(dof), held = torques(q, zero, zero);
        for (Eigen::Index i = 0; i < matrix.cols(); i++) {
            matrix.col(i) = torques(q, zero, Eigen::VectorXd::Unit(dof, i)) - held;
        }
        return matrix;
    }

    Eigen::VectorXd getCoriolisVector(const Eigen::VectorXd& q, const Eigen::VectorXd& qd) const override
    {
        const Eigen::VectorXd zero = Eigen::VectorXd::Zero(dof);
        return torques(q, qd, zero) - torques(q, zero, zero);
    }

    Eigen::VectorXd getGravityVector(const Eigen::VectorXd& q) const override
    {
        checked(q, positions);
        Eigen::VectorXd tau(dof);
        ::@name@_gravity(q.data(), tau.data());
        return tau;
    }

    // The friction of closed loops depends on their state: this is at a closed one.
    Eigen::VectorXd getFrictionVector(const Eigen::VectorXd& qd) const override
    {
        const Positions q = {@start@};
        return friction(Eigen::Map<const Eigen::VectorXd>(q.data(), positions), qd);
    }

    Eigen::VectorXd getTorques(
        const Eigen::VectorXd& q, const Eigen::VectorXd& qd, const Eigen::VectorXd& qdd) const override
    {
        return torques(q, qd, qdd);
    }

private:
    // Without friction, as the interface has it.
    static Eigen::VectorXd torques(const Eigen::VectorXd& q, const Eigen::VectorXd& qd, const Eigen::VectorXd& qdd)
    {
        checked(q, positions);
        checked(qd, dof);
        checked(qdd, dof);
        Eigen::VectorXd tau(dof);
        ::@name@(q.data(), qd.data(), qdd.data(), tau.data());
        return tau - friction(q, qd);
    }

    static Eigen::VectorXd friction(const Eigen::VectorXd& q, const Eigen::VectorXd& qd)
    {
        checked(q, positions);
        checked(qd, dof);
        Eigen::VectorXd f(dof);
        ::@name@_friction(@read@, f.data());
        return f;
    }

    static void checked(const Eigen::VectorXd& x, std::size_t size)
    {
        if (static_cast<std::size_t>(x.size()) != size) throw std::invalid_argument("@name@: wrong number of joints");
    }
};

}

PLUGINLIB_EXPORT_CLASS(@name@_dynamics::Solver, inverse_dynamics_solver::InverseDynamicsSolver)
