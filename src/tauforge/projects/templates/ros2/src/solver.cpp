// A plugin for inverse_dynamics_solver. Tauforge's tests load it by ROS's class loader; they have no ROS node to run it in.
#include <stdexcept>
#include <string>

#include <inverse_dynamics_solver/inverse_dynamics_solver.hpp>
#include <pluginlib/class_list_macros.hpp>

#include "@name@/@name@.hpp"

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
        return torques(q, qd, zero) - torques(q, zero, zero) - getFrictionVector(qd);
    }

    Eigen::VectorXd getGravityVector(const Eigen::VectorXd& q) const override
    {
        checked(q, positions);
        Eigen::VectorXd tau(dof);
        ::@name@_gravity(q.data(), tau.data());
        return tau;
    }

    // Friction changes its sign with the velocity, and all other torques do not.
    Eigen::VectorXd getFrictionVector(const Eigen::VectorXd& qd) const override
    {
        const Eigen::VectorXd q = Eigen::VectorXd::Zero(positions), zero = Eigen::VectorXd::Zero(dof);
        return 0.5*(torques(q, qd, zero) - torques(q, -qd, zero));
    }

    // Without friction, as the interface has it.
    Eigen::VectorXd getTorques(
        const Eigen::VectorXd& q, const Eigen::VectorXd& qd, const Eigen::VectorXd& qdd) const override
    {
        return torques(q, qd, qdd) - getFrictionVector(qd);
    }

private:
    static Eigen::VectorXd torques(const Eigen::VectorXd& q, const Eigen::VectorXd& qd, const Eigen::VectorXd& qdd)
    {
        checked(q, positions);
        checked(qd, dof);
        checked(qdd, dof);
        Eigen::VectorXd tau(dof);
        ::@name@(q.data(), qd.data(), qdd.data(), tau.data());
        return tau;
    }

    static void checked(const Eigen::VectorXd& x, std::size_t size)
    {
        if (static_cast<std::size_t>(x.size()) != size) throw std::invalid_argument("@name@: wrong number of joints");
    }
};

}

PLUGINLIB_EXPORT_CLASS(@name@_dynamics::Solver, inverse_dynamics_solver::InverseDynamicsSolver)
