// A plugin for inverse_dynamics_solver. Tauforge's tests do not run it: they have none of ROS's own libraries.
#include <stdexcept>

#include <inverse_dynamics_solver/inverse_dynamics_solver.hpp>
#include <pluginlib/class_list_macros.hpp>

#include "@name@/@name@.hpp"

namespace @name@ {

class Solver : public inverse_dynamics_solver::InverseDynamicsSolver {
public:
    void initialize(
        rclcpp::node_interfaces::NodeParametersInterface::SharedPtr, const std::string&, const std::string&) override
    {
    }

    Eigen::MatrixXd getInertiaMatrix(const Eigen::VectorXd& q) const override
    {
        Eigen::MatrixXd matrix(dof, dof);
        const Eigen::VectorXd zero = Eigen::VectorXd::Zero(dof), held = getTorques(q, zero, zero);
        for (std::size_t i = 0; i < dof; i++) {
            Eigen::VectorXd unit = zero;
            unit[i] = 1.0;
            matrix.col(i) = getTorques(q, zero, unit) - held;
        }
        return matrix;
    }

    Eigen::VectorXd getCoriolisVector(const Eigen::VectorXd& q, const Eigen::VectorXd& qd) const override
    {
        const Eigen::VectorXd zero = Eigen::VectorXd::Zero(dof);
        return getTorques(q, qd, zero) - getTorques(q, zero, zero);
    }

    Eigen::VectorXd getGravityVector(const Eigen::VectorXd& q) const override
    {
        checked(q, positions);
        Eigen::VectorXd tau(dof);
        ::@name@_gravity(q.data(), tau.data());
        return tau;
    }

    Eigen::VectorXd getTorques(
        const Eigen::VectorXd& q, const Eigen::VectorXd& qd, const Eigen::VectorXd& qdd) const override
    {
        checked(q, positions);
        checked(qd, dof);
        checked(qdd, dof);
        Eigen::VectorXd tau(dof);
        ::@name@(q.data(), qd.data(), qdd.data(), tau.data());
        return tau;
    }

private:
    static void checked(const Eigen::VectorXd& x, std::size_t size)
    {
        if (static_cast<std::size_t>(x.size()) != size) throw std::invalid_argument("@name@: wrong number of joints");
    }
};

}

PLUGINLIB_EXPORT_CLASS(@name@::Solver, inverse_dynamics_solver::InverseDynamicsSolver)
